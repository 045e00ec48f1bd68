"""Why a device's quantized tensor differs: what devices do otherwise, and which of it reproduces what they gave."""
