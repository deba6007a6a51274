"""Trains a small convolutional network with a parameter server over torch.distributed.rpc.

Rank 0 is the parameter server: it holds the weights and changes them under a lock. Every other rank is a trainer: it
computes gradients for its own batches, sends them to the server and gets the new weights back, without waiting for the
other trainers. RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT come from the training job. The images are those of MNIST,
in the four files under data/MNIST/raw of the working directory, where torchvision stores them; without them those of
fashion-MNIST, which Debian's package dataset-fashion-mnist installs.

MNIST_EPOCHS and MNIST_LIMIT in the environment are the defaults of --epochs and --limit, so that a manifest can be
tried quickly without changing it.
"""
import argparse
import gzip
import logging
import os
import sys
import threading

import numpy as np
import torch
import torch.distributed.rpc as rpc
import torch.nn.functional as F
from torch import nn

BATCH_SIZE = 32
LOG_EVERY = 500
RAW = "data/MNIST/raw"
PACKAGE = "dataset-fashion-mnist"
INSTALLED = "/usr/share/datasets/fashion-mnist"
SERVER = "parameter_server"

log = logging.getLogger("train")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log_dir", help="folder for TensorBoard scalars; every trainer writes a run worker_RANK")
    parser.add_argument("--save_path", help="the server writes the weights to this file and .RANK of a trainer that ends")
    parser.add_argument("--no_cuda", action="store_true", help="train on the CPU even if there is a GPU")
    parser.add_argument("--epochs", type=int, default=os.environ.get("MNIST_EPOCHS", 5),
                        help="passes of each trainer over the training images (default: 5)")
    parser.add_argument("--limit", type=int, default=os.environ.get("MNIST_LIMIT"),
                        help="number of training images to use (default: all 60,000)")
    parser.add_argument("--data", help=f"folder of the idx-ubyte files (default: {RAW}, else where {PACKAGE} put them)")
    arguments = parser.parse_args()
    if arguments.epochs < 1:
        parser.error(f"--epochs: must be at least 1, got {arguments.epochs}")
    if arguments.limit is not None and arguments.limit < 2 * BATCH_SIZE:
        parser.error(f"--limit: must be at least {2 * BATCH_SIZE}, got {arguments.limit}")
    return arguments


# ---- the images ----

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


# ---- the parameter server ----

class ParameterServer:
    def __init__(self):
        torch.manual_seed(1)
        self.model = Net()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.03)
        self.lock = threading.Lock()  # RPCs of several trainers run at the same time

    def weights(self):
        return [parameter.detach().clone() for parameter in self.model.parameters()]

    def update(self, gradients):
        with self.lock:
            for parameter, gradient in zip(self.model.parameters(), gradients):
                parameter.grad = gradient
            self.optimizer.step()
            return self.weights()

    def save(self, path):
        with self.lock:
            torch.save(self.model.state_dict(), path + ".new")
            os.replace(path + ".new", path)


# Functions that trainers call on the server; the object exists in its process only.
server = None


def fetch_weights():
    return server.weights()


def apply_gradients(gradients):
    return server.update(gradients)


def save_weights(path):
    server.save(path)


def on_server(function, *arguments):
    return rpc.rpc_sync(SERVER, function, args=arguments)


def serve(size):
    global server
    server = ParameterServer()
    log.info("parameter server starts RPC with %d trainers", size - 1)
    rpc.init_rpc(SERVER, rank=0, world_size=size)
    log.info("parameter server is running")
    rpc.shutdown()  # returns when every trainer has also called it
    log.info("parameter server has shut down RPC")


# ---- the trainers ----

def set_weights(model, weights):
    with torch.no_grad():
        for parameter, weight in zip(model.parameters(), weights):
            parameter.copy_(weight)


def train_epoch(model, images, labels, epoch, rank, arguments, device, scalars):
    model.train()
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(100 * rank + epoch))
    batches = len(images) // BATCH_SIZE
    for batch in range(1, batches + 1):
        chosen = order[(batch - 1) * BATCH_SIZE:batch * BATCH_SIZE]
        model.zero_grad()
        loss = F.nll_loss(model(images[chosen].to(device)), labels[chosen].to(device))
        loss.backward()
        set_weights(model, on_server(apply_gradients, [parameter.grad.cpu() for parameter in model.parameters()]))
        if batch % LOG_EVERY == 0 or batch == batches:
            log.info("epoch %d/%d, batch %5d/%d with loss: %.4f", epoch, arguments.epochs, batch, batches, loss.item())
            if scalars:
                scalars.add_scalar("train/loss", loss.item(), (epoch - 1) * batches + batch)


@torch.no_grad()
def evaluate(model, images, labels, device):
    """Returns mean loss and accuracy over all images."""
    model.eval()
    loss = right = 0.0
    for start in range(0, len(images), 1000):
        output, wanted = model(images[start:start + 1000].to(device)), labels[start:start + 1000].to(device)
        loss += F.nll_loss(output, wanted, reduction="sum").item()
        right += (output.argmax(dim=1) == wanted).sum().item()
    return loss / len(images), right / len(images)


def open_scalars(log_dir, rank):
    folder = os.path.join(log_dir, f"worker_{rank}")
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        log.info("no scalars are written to %s: the package tensorboard is not installed", folder)
        return None
    return SummaryWriter(folder)


def train(rank, size, arguments):
    log.info("rank %d of %d starts RPC as a trainer", rank, size)
    rpc.init_rpc(f"trainer_{rank}", rank=rank, world_size=size)
    device = torch.device("cuda" if torch.cuda.is_available() and not arguments.no_cuda else "cpu")
    folder = arguments.data or find_dataset()
    images, labels = load_images(folder, "train")
    images, labels = images[:arguments.limit], labels[:arguments.limit]
    split = len(images) * 4 // 5
    model = Net().to(device)
    set_weights(model, on_server(fetch_weights))
    scalars = open_scalars(arguments.log_dir, rank) if arguments.log_dir else None
    for epoch in range(1, arguments.epochs + 1):
        train_epoch(model, images[:split], labels[:split], epoch, rank, arguments, device, scalars)
        loss, accuracy = evaluate(model, images[split:], labels[split:], device)
        log.info("epoch %d/%d, validation set: loss: %.4f, accuracy: %.4f", epoch, arguments.epochs, loss, accuracy)
        if scalars:
            scalars.add_scalar("val/loss", loss, epoch)
            scalars.add_scalar("val/accuracy", accuracy, epoch)
            scalars.flush()  # TensorBoard shows each epoch as it ends
    loss, accuracy = evaluate(model, *load_images(folder, "t10k"), device)
    log.info("test set: loss: %.4f, accuracy: %.4f", loss, accuracy)
    if arguments.save_path:
        on_server(save_weights, f"{arguments.save_path}.{rank}")
    if scalars:
        scalars.close()
    rpc.shutdown()


def main():
    logging.basicConfig(stream=sys.stderr, format="%(message)s")
    log.setLevel(logging.INFO)
    arguments = parse_arguments()
    if not {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"} <= os.environ.keys():
        sys.exit("RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT are not set: run this script in a PyTorchTrainingJob")
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    # All ranks are assumed to be on this machine: too few threads cost less than too many.
    torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) // size))
    if rank == 0:
        serve(size)
    else:
        train(rank, size, arguments)


if __name__ == "__main__":
    main()
