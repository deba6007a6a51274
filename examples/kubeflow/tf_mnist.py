"""Trains a small network on fashion-MNIST, on all workers of a TFJob together: TF_CONFIG says who they are."""

import argparse
import json
import os
import pathlib
import struct

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402


def read_idx(path):
    data = path.read_bytes()
    dimensions = data[3]
    shape = struct.unpack(f">{dimensions}I", data[4:4 + 4 * dimensions])
    return np.frombuffer(data, np.uint8, offset=4 + 4 * dimensions).reshape(shape)


def read_images(folder, part):
    images = read_idx(folder / f"{part}-images-idx3-ubyte").reshape(-1, 784).astype(np.float32) / 255
    return images, read_idx(folder / f"{part}-labels-idx1-ubyte").astype(np.int64)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("data/MNIST/raw"))
    parser.add_argument("--save_path", type=pathlib.Path, default=pathlib.Path("model.npz"))
    parser.add_argument("--epochs", type=int, default=int(os.environ.get("MNIST_EPOCHS", 5)))
    parser.add_argument("--limit", type=int, default=int(os.environ.get("MNIST_LIMIT", 60000)), help="images of the training set")
    parser.add_argument("--batch", type=int, default=64, help="images per worker and step")
    options = parser.parse_args()

    # The strategy joins the cluster, so it comes before everything else of TensorFlow.
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    task = json.loads(os.environ.get("TF_CONFIG", "{}")).get("task", {"type": "worker", "index": 0})
    rank, ranks = task["index"], strategy.num_replicas_in_sync
    print(f"worker {rank} of {ranks}", flush=True)

    tf.random.set_seed(1)
    with strategy.scope():
        mean = tf.VariableAggregation.MEAN
        weights = [tf.Variable(tf.random.normal((784, 128), stddev=0.05), aggregation=mean), tf.Variable(tf.zeros(128), aggregation=mean),
                   tf.Variable(tf.random.normal((128, 10), stddev=0.05), aggregation=mean), tf.Variable(tf.zeros(10), aggregation=mean)]

    def logits(images):
        hidden = tf.nn.relu(images @ weights[0] + weights[1])
        return hidden @ weights[2] + weights[3]

    @tf.function
    def step(images, labels):
        def train():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits(images)))
            for weight, gradient in zip(weights, tape.gradient(loss, weights)):
                weight.assign_sub(0.1 * gradient)  # the mean over all workers
            return loss
        return strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(train), axis=None)

    images, labels = read_images(options.data, "train")
    images, labels = images[rank:options.limit:ranks], labels[rank:options.limit:ranks]
    test_images, test_labels = read_images(options.data, "t10k")
    steps = options.limit // ranks // options.batch  # the same on every worker
    for epoch in range(1, options.epochs + 1):
        order = np.random.default_rng(epoch).permutation(len(labels))
        for first in range(0, steps * options.batch, options.batch):
            batch = order[first:first + options.batch]
            loss = step(tf.constant(images[batch]), tf.constant(labels[batch]))
        if rank == 0:
            accuracy = float(np.mean(np.argmax(logits(tf.constant(test_images)).numpy(), axis=1) == test_labels))
            print(f"epoch {epoch}: loss {float(loss):.4f}, test set: accuracy: {accuracy:.4f}", flush=True)
    if rank == 0:
        np.savez(options.save_path, *[weight.numpy() for weight in weights])


if __name__ == "__main__":
    main()
