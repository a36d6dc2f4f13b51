import Foundation

// Plants that want water.
protocol Thirsty {
    var level: Int { get }
    func drink(amount: Int) -> Bool
}

class Plant: Thirsty {
    private(set) var level = 0
    let name: String
    let limit: Int

    init(name: String, limit: Int) {
        self.name = name
        self.limit = limit
    }

    func drink(amount: Int) -> Bool {
        if level + amount > limit {
            return false
        }
        level += amount
        return true
    }
}

/* A garden is a list of plants. */
struct Garden {
    var plants: [Plant] = []
    var title = "größe"

    mutating func grow(count: Int) {
        for index in 0..<count {
            let plant = Plant(name: "plant", limit: index * 3 + 1)
            plants.append(plant)
        }
    }

    func water(amount: Int) -> Int {
        var refused = 0
        for plant in plants where !plant.drink(amount: amount) {
            refused += 1
        }
        var round = 0
        while round < 10 && refused > 0 {
            round += 1
            refused -= round
        }
        return max(refused, 0)
    }
}

var garden = Garden()
garden.grow(count: 12)
let rest = garden.water(amount: 5)
switch rest {
case 0: print("all drank")
case 1...5: print("some", 2.5)
default: print("few")
}
