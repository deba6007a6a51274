import os

import deepspeed
import torch

deepspeed.init_distributed(dist_backend="gloo")
steps = torch.full((1,), 2.0)
torch.distributed.all_reduce(steps)
rank, size = torch.distributed.get_rank(), torch.distributed.get_world_size()
print(f"process {rank} of {size}, local {os.environ['LOCAL_RANK']}: {int(steps.item())} steps")
