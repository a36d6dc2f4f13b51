# A network with some machines, größe is a variable.
variable "size" {
  type    = number
  default = 3
}

variable "names" {
  type    = list(string)
  default = ["one", "two"]
}

locals {
  prefix = "größe"
  large  = var.size > 10 ? true : false
  double = var.size * 2 + 1
}

provider "cloud" {
  region = "north"
  retry  = 5
}

// The machines themselves.
resource "cloud_machine" "worker" {
  count  = var.size
  name   = "${local.prefix}-${count.index}"
  memory = 2048
  weight = 2.5

  tags = {
    owner = "ada"
    kind  = upper("worker")
  }

  disk {
    size = local.double
    fast = local.large && var.size != 4
  }
}

/* All addresses of them. */
output "addresses" {
  value = [for machine in cloud_machine.worker : machine.address if machine.alive]
}

output "first" {
  value = length(var.names) >= 1 ? var.names[0] : null
}

resource "cloud_rule" "open" {
  port    = 80
  source  = var.names
  enabled = !local.large
}
