import torch
from transformers import Trainer, TrainingArguments


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 1)

    def forward(self, x, labels=None):
        out = self.linear(x)
        return {"loss": torch.nn.functional.mse_loss(out, labels), "logits": out}


data = [{"x": torch.randn(2), "labels": torch.randn(1)} for _ in range(32)]
settings = TrainingArguments("out", num_train_epochs=1, per_device_train_batch_size=4, use_cpu=True, report_to=[], logging_steps=1,
                             save_strategy="no", ddp_backend="gloo")
trainer = Trainer(Model(), settings, train_dataset=data)
trainer.train()
print(f"process {settings.process_index} of {settings.world_size}, local {settings.local_rank}: {trainer.state.global_step} steps")
