"""A PyTorch network as LiteRT models: ``python examples/pytorch.py FOLDER``, after ``pip install litert-torch``.

The program trains a small classifier on random patterns for some seconds and writes three files into the folder:
float.tflite, pt2e.tflite (int8, quantized in PyTorch by PT2E) and samples.npz, the data for calibration.
"""

from __future__ import annotations

import sys
from pathlib import Path

import litert_torch
import numpy as np
import torch
from litert_torch.quantize.pt2e_quantizer import PT2EQuantizer, get_symmetric_quantization_config
from litert_torch.quantize.quant_config import QuantConfig
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

SHAPE, CLASSES, BATCH, STEPS, SAMPLES = (3, 32, 32), 10, 32, 150, 64


class Classifier(nn.Module):
    """A network with the layers of MobileNet: a convolution, a depthwise and a pointwise convolution, the mean."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, 3, stride=2, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 16, 3, padding=1, groups=16),
            nn.BatchNorm2d(16),
            nn.ReLU6(),
            nn.Conv2d(16, 32, 1),
            nn.ReLU(),
            nn.AvgPool2d(4),
            nn.Flatten(),
        )
        self.head = nn.Linear(512, CLASSES)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.head(self.features(image))


def draw(patterns: torch.Tensor, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return images, each a pattern with noise, and the numbers of their patterns."""
    labels = torch.randint(CLASSES, (count,))
    return patterns[labels] + 0.5 * torch.randn(count, *SHAPE), labels


def main(folder: Path) -> None:
    torch.manual_seed(0)
    patterns, net = torch.randn(CLASSES, *SHAPE), Classifier()
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    for _ in range(STEPS):
        images, labels = draw(patterns, BATCH)
        loss = nn.functional.cross_entropy(net(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()

    images, _ = draw(patterns, SAMPLES)
    example = (images[:1],)
    np.savez(folder / "samples.npz", args_0=images[:, None].numpy())
    litert_torch.convert(net, example).export(str(folder / "float.tflite"))

    quantizer = PT2EQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(torch.export.export(net, example).module(), quantizer)
    for image in images:
        prepared(image[None])
    quantized = convert_pt2e(prepared, fold_quantize=False)
    config = QuantConfig(pt2e_quantizer=quantizer)
    litert_torch.convert(quantized, example, quant_config=config).export(str(folder / "pt2e.tflite"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
