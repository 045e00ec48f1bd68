"""What drives each runtime, inside the child process; every module here is a Factory of device.py."""
