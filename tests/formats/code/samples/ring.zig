const std = @import("std");

// A ring of bytes, größe is fixed.
pub const Ring = struct {
    items: [16]u8 = undefined,
    head: usize = 0,
    count: usize = 0,

    pub fn push(self: *Ring, item: u8) !void {
        if (self.count == self.items.len) {
            return error.Full;
        }
        const place = (self.head + self.count) % self.items.len;
        self.items[place] = item;
        self.count += 1;
    }

    pub fn pop(self: *Ring) ?u8 {
        if (self.count == 0) return null;
        const item = self.items[self.head];
        self.head = (self.head + 1) % self.items.len;
        self.count -= 1;
        return item;
    }
};

fn sum(values: []const u32) u32 {
    var total: u32 = 0;
    var index: usize = 0;
    while (index < values.len) : (index += 1) {
        total += values[index] * 2;
    }
    for (values) |value| {
        if (value > 10 and value != 12) {
            total -= 1;
        } else {
            continue;
        }
    }
    return total;
}

pub fn main() !void {
    var ring = Ring{};
    try ring.push('x');
    const label = "größe";
    const half: f32 = 2.5;
    switch (ring.count) {
        0 => std.debug.print("empty {s}\n", .{label}),
        1...9 => std.debug.print("some {d}\n", .{half}),
        else => unreachable,
    }
}
