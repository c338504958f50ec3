"""Speed: the skeleton that every figure is compared with, and runs against peers."""
