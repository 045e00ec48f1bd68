"""Reference quantizer: quantization and dequantization exactly as LiteRT, ONNX and oneDNN define them."""
