"""Trains a small network on MNIST with DistributedDataParallel, and prints what Arena's tutorial shows.

Every instance of the job runs this file; RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT say which one it is. Without
CUDA it uses gloo and the CPU. MNIST_LIMIT in the environment is the number of images to use, so that the tutorial's
command can be tried quickly without changing it.
"""
import argparse
import gzip
import os
import sys

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel

WORLD_SIZE = int(os.environ.get("WORLD_SIZE", 1))
RANK = int(os.environ.get("RANK", 0))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch-size", type=int, default=64, help="images per step (default: 64)")
    parser.add_argument("--test-batch-size", type=int, default=1000, help="images per step of the test (default: 1000)")
    parser.add_argument("--epochs", type=int, default=10, help="passes over the training images (default: 10)")
    parser.add_argument("--lr", type=float, default=0.01, help="learning rate (default: 0.01)")
    parser.add_argument("--momentum", type=float, default=0.5, help="momentum of SGD (default: 0.5)")
    parser.add_argument("--no-cuda", action="store_true", help="train on the CPU even if there is CUDA")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (default: 1)")
    parser.add_argument("--log-interval", type=int, default=10, help="steps between two lines (default: 10)")
    parser.add_argument("--save-model", action="store_true", help="write mnist_cnn.pt into --dir")
    parser.add_argument("--dir", default="logs", help="folder of the TensorBoard logs (default: logs)")
    parser.add_argument("--data", default="data", help="folder with MNIST/raw in it (default: data)")
    parser.add_argument("--backend", choices=["gloo", "nccl", "mpi"], default="gloo", help="how the ranks talk")
    return parser.parse_args()


def read_idx(folder, name):
    """Reads a file in MNIST's format, packed or not: two zero bytes, type, number of dimensions, sizes, values."""
    path = os.path.join(folder, "MNIST", "raw", name)
    try:
        with open(path, "rb") if os.path.exists(path) else gzip.open(path + ".gz") as file:
            content = file.read()
    except OSError as error:
        sys.exit(f"cannot read {path}: {error.strerror or error}")
    dimensions = content[3]
    shape = np.frombuffer(content, ">u4", dimensions, offset=4)
    values = np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions)
    return torch.from_numpy(values.reshape([int(size) for size in shape]).copy())


def load(folder, part):
    limit = int(os.environ.get("MNIST_LIMIT", 60000))
    images = read_idx(folder, f"{part}-images-idx3-ubyte")[:limit]
    labels = read_idx(folder, f"{part}-labels-idx1-ubyte")[:limit].long()
    return images.unsqueeze(1).float().div_(255).sub_(0.1307).div_(0.3081), labels


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 20, 5)
        self.conv2 = nn.Conv2d(20, 50, 5)
        self.fc1 = nn.Linear(4 * 4 * 50, 500)
        self.fc2 = nn.Linear(500, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return F.log_softmax(self.fc2(F.relu(self.fc1(x.flatten(1)))), dim=1)


def open_writer(folder):
    if RANK != 0:
        return None
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        print(f"no logs are written to {folder}: the package tensorboard is not installed", flush=True)
        return None
    return SummaryWriter(folder)


def train(args, model, device, images, labels, optimizer, epoch, writer):
    model.train()
    # All ranks shuffle identically and take every WORLD_SIZE-th image, so that together they see each image once.
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(epoch))[RANK::WORLD_SIZE]
    steps = len(images) // WORLD_SIZE // args.batch_size
    for step in range(steps):
        chosen = order[step * args.batch_size:(step + 1) * args.batch_size]
        optimizer.zero_grad()
        loss = F.nll_loss(model(images[chosen].to(device)), labels[chosen].to(device))
        loss.backward()
        optimizer.step()
        if step % args.log_interval == 0:
            seen = step * args.batch_size * WORLD_SIZE
            print(f"Train Epoch: {epoch} [{seen}/{len(images)} ({100 * seen // len(images)}%)] loss={loss.item():.4f}",
                  flush=True)
            if writer:
                writer.add_scalar("loss", loss.item(), (epoch - 1) * steps + step)


@torch.no_grad()
def test(args, model, device, images, labels, epoch, writer):
    model.eval()
    right = 0
    for start in range(0, len(images), args.test_batch_size):
        part = slice(start, start + args.test_batch_size)
        right += (model(images[part].to(device)).argmax(dim=1) == labels[part].to(device)).sum().item()
    accuracy = right / len(images)
    print(f"\naccuracy={accuracy:.4f}\n" if epoch < args.epochs else f"\naccuracy={accuracy:.4f}", flush=True)
    if writer:
        writer.add_scalar("accuracy", accuracy, epoch)
        writer.flush()


def main():
    print(f"WORLD_SIZE: {WORLD_SIZE}, CURRENT_RANK: {RANK}", flush=True)
    args = parse_arguments()
    print(f"args: {argparse.Namespace(**dict(sorted(vars(args).items())))}", flush=True)  # in the order of older Pythons
    use_cuda = torch.cuda.is_available() and not args.no_cuda
    if use_cuda:
        print("Using CUDA", flush=True)
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if use_cuda else "cpu")
    if not use_cuda:
        # With more threads than cores the ranks would wait for each other.
        torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) // WORLD_SIZE))
    if WORLD_SIZE > 1:
        backend = args.backend
        if backend == "nccl" and not (use_cuda and dist.is_nccl_available()):
            print("CUDA is not available: using gloo instead of nccl, on the CPU", flush=True)
            backend = "gloo"
        dist.init_process_group(backend)
    images, labels = load(args.data, "train")
    model = Net().to(device)
    if WORLD_SIZE > 1:
        model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum)
    writer = open_writer(args.dir)
    held_out = load(args.data, "t10k")
    for epoch in range(1, args.epochs + 1):
        train(args, model, device, images, labels, optimizer, epoch, writer)
        test(args, model, device, *held_out, epoch, writer)
    if args.save_model and RANK == 0:
        torch.save(model.state_dict(), os.path.join(args.dir, "mnist_cnn.pt"))
    if writer:
        writer.close()
    if WORLD_SIZE > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
