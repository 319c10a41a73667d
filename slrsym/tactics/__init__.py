"""From proofs to evidence that the kernel judges. Nothing here is trusted."""
