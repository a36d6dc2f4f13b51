"""What people see of a comparison: a folder of web pages that opens from disk, without a server or the network."""
