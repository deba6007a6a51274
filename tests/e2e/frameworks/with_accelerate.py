import torch
from accelerate import Accelerator

accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(32, 2), torch.randn(32, 1)), batch_size=4)
model, optimizer, data = accelerator.prepare(model, optimizer, data)
steps = 0
for x, y in data:
    loss = torch.nn.functional.mse_loss(model(x), y)
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    steps += 1
print(f"process {accelerator.process_index} of {accelerator.num_processes}, local {accelerator.local_process_index}: {steps} steps")
