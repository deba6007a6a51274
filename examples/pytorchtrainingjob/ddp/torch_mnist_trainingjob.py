"""Trains a small convolutional network with DistributedDataParallel.

Every rank runs this file. Its identity (RANK, WORLD_SIZE) and the address of rank 0 (MASTER_ADDR, MASTER_PORT) come
from environment variables that torchrun or the training job sets; without them it trains alone. The images are those
of MNIST, in the four files under data/MNIST/raw of the working directory, where torchvision stores them; without them
those of fashion-MNIST, which Debian's package dataset-fashion-mnist installs.

MNIST_EPOCHS and MNIST_LIMIT in the environment are the defaults of --epochs and --limit, so that a manifest can be
tried quickly without changing it.
"""
import argparse
import gzip
import logging
import os
import sys
import time

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel

BATCH_SIZE = 32
LOG_EVERY = 125
RAW = "data/MNIST/raw"
PACKAGE = "dataset-fashion-mnist"
INSTALLED = "/usr/share/datasets/fashion-mnist"

log = logging.getLogger("train")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", choices=["gloo", "nccl", "mpi"], default="gloo",
                        help="how the ranks talk to each other (default: gloo)")
    parser.add_argument("--log_dir", help="folder for TensorBoard scalars, written by rank 0")
    parser.add_argument("--save_path", help="file for the trained weights, written by rank 0")
    parser.add_argument("--no_cuda", action="store_true", help="train on the CPU even if there is a GPU")
    parser.add_argument("--epochs", type=int, default=os.environ.get("MNIST_EPOCHS", 10),
                        help="passes over the training images (default: 10)")
    parser.add_argument("--limit", type=int, default=os.environ.get("MNIST_LIMIT"),
                        help="number of training images to use (default: all 60,000)")
    parser.add_argument("--data", help=f"folder of the idx-ubyte files (default: {RAW}, else where {PACKAGE} put them)")
    arguments = parser.parse_args()
    if arguments.epochs < 1:
        parser.error(f"--epochs: must be at least 1, got {arguments.epochs}")
    if arguments.limit is not None and arguments.limit < 10:
        parser.error(f"--limit: must be at least 10, got {arguments.limit}")
    return arguments


def find_dataset():
    """Returns the folder with the images: torchvision's in the working directory, or that of Debian's package."""
    for folder in (RAW, INSTALLED):
        if os.path.isdir(folder):
            return folder
    sys.exit(f"no training images: {PACKAGE} is not installed; apt-get install {PACKAGE}, or name a folder with --data")


def read_idx(folder, name):
    """Reads a file in MNIST's format: two zero bytes, type (8 = bytes), number of dimensions, sizes, values."""
    path = os.path.join(folder, name)
    unpacked = os.path.exists(path)
    try:
        with open(path, "rb") if unpacked else gzip.open(path + ".gz") as file:
            content = file.read()
    except OSError as error:
        sys.exit(f"cannot read {path}: {error.strerror or error}")
    if content[:3] != b"\0\0\x08":
        sys.exit(f"{path} is not in MNIST's format: it starts with {content[:3]!r}")
    dimensions = content[3]
    shape = np.frombuffer(content, ">u4", dimensions, offset=4)
    values = np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions)
    return torch.from_numpy(values.reshape([int(size) for size in shape]).copy())


def load_images(folder, part):
    images = read_idx(folder, f"{part}-images-idx3-ubyte").unsqueeze(1).float().div_(255).sub_(0.5).div_(0.5)
    labels = read_idx(folder, f"{part}-labels-idx1-ubyte").long()
    return images, labels


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.conv3 = nn.Conv2d(64, 64, 3)
        self.dense1 = nn.Linear(576, 64)
        self.dense2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.conv3(x)).flatten(1)
        return F.log_softmax(self.dense2(F.relu(self.dense1(x))), dim=1)


class Ranks:
    """The identity of this process among the ranks that train together."""

    def __init__(self, backend):
        self.rank = int(os.environ.get("RANK", 0))
        self.size = int(os.environ.get("WORLD_SIZE", 1))
        self.local_rank = int(os.environ.get("LOCAL_RANK", 0))
        # Unless torchrun sets it, assume that all ranks are on this machine: too few threads cost less than too many.
        self.local_size = int(os.environ.get("LOCAL_WORLD_SIZE", self.size))
        self.together = "RANK" in os.environ or backend == "mpi"
        if not self.together:
            return
        if backend == "mpi" and not dist.is_mpi_available():
            sys.exit("--backend mpi: this PyTorch was built without MPI; use --backend gloo")
        if backend == "nccl" and not (dist.is_nccl_available() and torch.cuda.is_available()):
            log.info("--backend nccl: there is no GPU here, or this PyTorch was built without NCCL; using gloo")
            backend = "gloo"
        log.info("using backend %s", backend)
        dist.init_process_group(backend)
        self.rank, self.size = dist.get_rank(), dist.get_world_size()

    def wait_for_all(self):
        if not self.together:
            return
        dist.barrier()
        log.info("rank %d of %d passed the barrier", self.rank, self.size)

    def sum(self, values, device):
        total = torch.tensor(values, dtype=torch.float64, device=device)
        if self.together:
            dist.all_reduce(total)
        return total.tolist()


def train_epoch(model, optimizer, images, labels, epoch, arguments, ranks, device, scalars):
    model.train()
    # All ranks shuffle identically and take every size-th image; what does not fill a batch on every rank is skipped.
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(epoch))[ranks.rank::ranks.size]
    batches = len(images) // ranks.size // BATCH_SIZE
    for batch in range(1, batches + 1):
        chosen = order[(batch - 1) * BATCH_SIZE:batch * BATCH_SIZE]
        optimizer.zero_grad()
        loss = F.nll_loss(model(images[chosen].to(device)), labels[chosen].to(device))
        loss.backward()
        optimizer.step()
        if batch % LOG_EVERY == 0 or batch == batches:
            log.info("epoch %d/%d, batch %5d/%d with loss: %.4f", epoch, arguments.epochs, batch, batches, loss.item())
            if scalars:
                scalars.add_scalar("train/loss", loss.item(), (epoch - 1) * batches + batch)


@torch.no_grad()
def evaluate(model, images, labels, ranks, device):
    """Returns mean loss and accuracy over all images; each rank evaluates its share."""
    model.eval()
    loss = right = 0.0
    for start in range(0, len(images), 1000):
        mine = slice(start + ranks.rank, min(start + 1000, len(images)), ranks.size)
        if not len(labels[mine]):
            continue
        output, wanted = model(images[mine].to(device)), labels[mine].to(device)
        loss += F.nll_loss(output, wanted, reduction="sum").item()
        right += (output.argmax(dim=1) == wanted).sum().item()
    loss, right = ranks.sum([loss, right], device)
    return loss / len(images), right / len(images)


def open_scalars(log_dir):
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        log.info("no scalars are written to %s: the package tensorboard is not installed", log_dir)
        return None
    return SummaryWriter(log_dir)


def save(model, path):
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    torch.save(model.state_dict(), path + ".new")
    os.replace(path + ".new", path)


def main():
    logging.basicConfig(stream=sys.stderr, format="%(message)s")
    log.setLevel(logging.INFO)
    started = time.monotonic()
    arguments = parse_arguments()
    ranks = Ranks(arguments.backend)
    torch.manual_seed(1)
    use_cuda = torch.cuda.is_available() and not arguments.no_cuda
    if use_cuda:
        device = torch.device("cuda", ranks.local_rank % torch.cuda.device_count())
        torch.cuda.set_device(device)
    else:
        device = torch.device("cpu")
        # With more threads than cores the ranks would wait for each other.
        torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) // ranks.local_size))
    ranks.wait_for_all()  # after the device is chosen, on which nccl waits
    log.info("rank %d of %d trains on %s with %d threads", ranks.rank, ranks.size, device, torch.get_num_threads())

    folder = arguments.data or find_dataset()
    images, labels = load_images(folder, "train")
    images, labels = images[:arguments.limit], labels[:arguments.limit]
    split = len(images) * 4 // 5
    if split // ranks.size < BATCH_SIZE:
        sys.exit(f"{len(images)} images are too few for {ranks.size} ranks: each needs {BATCH_SIZE} of the {split} that "
                 f"are trained on; --limit {BATCH_SIZE * ranks.size * 5 // 4 + 1} or more")

    model = Net().to(device)
    if ranks.together:
        model = DistributedDataParallel(model)
    # The effective batch size grows with the number of ranks, so the learning rate may grow too.
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001 * ranks.size ** 0.5)
    scalars = open_scalars(arguments.log_dir) if ranks.rank == 0 and arguments.log_dir else None

    for epoch in range(1, arguments.epochs + 1):
        train_epoch(model, optimizer, images[:split], labels[:split], epoch, arguments, ranks, device, scalars)
        loss, accuracy = evaluate(model, images[split:], labels[split:], ranks, device)
        log.info("epoch %d/%d, validation set: loss: %.4f, accuracy: %.4f", epoch, arguments.epochs, loss, accuracy)
        if scalars:
            scalars.add_scalar("val/loss", loss, epoch)
            scalars.add_scalar("val/accuracy", accuracy, epoch)
            scalars.flush()  # TensorBoard shows each epoch as it ends

    loss, accuracy = evaluate(model, *load_images(folder, "t10k"), ranks, device)
    if ranks.rank == 0:
        if arguments.save_path:
            save(model.module if ranks.together else model, arguments.save_path)
        log.info("test set: loss: %.4f, accuracy: %.4f", loss, accuracy)
        log.info("trained in %.1f s", time.monotonic() - started)
    if scalars:
        scalars.close()
    if ranks.together:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
