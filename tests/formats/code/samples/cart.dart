import 'dart:math';

// A cart with things in it.
abstract class Priced {
  double get price;
}

class Thing extends Priced {
  final String name;
  final double price;
  int count = 1;

  Thing(this.name, this.price);

  bool isCheap(double limit) {
    return price < limit && count > 0;
  }
}

class Cart {
  final List<Thing> things = [];
  String owner = 'größe';

  void add(Thing thing) {
    for (var other in things) {
      if (other.name == thing.name) {
        other.count += thing.count;
        return;
      }
    }
    things.add(thing);
  }

  /* The sum of all. */
  double total(double rate) {
    double sum = 0;
    int index = 0;
    while (index < things.length) {
      sum = sum + things[index].price * things[index].count;
      index++;
    }
    return sum > 100 ? sum * rate : sum - 2.5;
  }
}

void main() {
  var cart = Cart();
  for (int round = 0; round < 5; round++) {
    cart.add(Thing('pen', round * 2.0));
  }
  switch (cart.things.length) {
    case 0:
      print('none');
      break;
    default:
      print('some');
  }
  print(max(cart.total(0.9), 1));
}
