use std::fmt;

struct World {
    width: usize,
    cells: Vec<bool>,
}

fn alive_around(world: &World, index: usize) -> usize {
    let height = world.cells.len() / world.width;
    let (row, column) = (index / world.width, index % world.width);
    let mut count = 0;
    for down in [height - 1, 0, 1] {
        for right in [world.width - 1, 0, 1] {
            if (down, right) == (0, 0) {
                continue;
            }
            let (r, c) = ((row + down) % height, (column + right) % world.width);
            count += world.cells[r * world.width + c] as usize;
        }
    }
    count
}

fn tick(world: &World) -> World {
    let cells = (0..world.cells.len())
        .map(|i| matches!((world.cells[i], alive_around(world, i)), (true, 2) | (_, 3)))
        .collect();
    World { width: world.width, cells }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.cells.chunks(self.width) {
            let line: String = row.iter().map(|&cell| if cell { '#' } else { '.' }).collect();
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

fn main() {
    let mut world = World { width: 8, cells: (0..64).map(|i| i % 3 == 0).collect() };
    for _ in 0..10 {
        world = tick(&world);
    }
    println!("{world}");
}
