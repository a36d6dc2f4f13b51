package org.example.tasks

import java.time.LocalDate

// A list of tasks with a weight each.
class Task {
    String title
    int weight
    boolean done = false

    Task(String title, int weight) {
        this.title = title
        this.weight = weight
    }

    boolean isHeavy(int limit) {
        return weight > limit && !done
    }
}

class Board {
    def tasks = []
    String owner = 'größe'

    def add(String title, int weight) {
        if (tasks.size() >= 20) {
            throw new IllegalStateException('full')
        }
        tasks << new Task(title, weight)
        return this
    }

    /* How much is left to do. */
    int left() {
        int sum = 0
        for (task in tasks) {
            if (!task.done) {
                sum += task.weight * 2 - 1
            } else {
                sum = sum + 0
            }
        }
        while (sum > 100) {
            sum -= 100
        }
        return sum
    }
}

def board = new Board()
board.add('write', 3).add('read', 5)
def heavy = board.tasks.findAll { it.isHeavy(4) }
switch (heavy.size()) {
    case 0: println 'none'; break
    default: println 'some'
}
println board.left() * 2.5
