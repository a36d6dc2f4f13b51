"""What jobs do, one kind a module. ``whorl.service.work`` has the table of them."""
