<?php

declare(strict_types=1);

namespace Shop\Cart;

use Shop\Item;
use InvalidArgumentException as Refused;

require_once 'tax.php';

/** What somebody wants to buy. */
#[Entity]
final class Cart implements \Countable
{
    private array $items = [];
    protected ?string $owner = null;
    public const LIMIT = 0x20;

    public function __construct(private float $tax = 0.19)
    {
        $this->owner = "größe";
    }

    // the price is in cents
    public function add(Item $item, int $count = 1): static
    {
        if ($count < 1 || count($this->items) >= self::LIMIT) {
            throw new Refused('not so many: ' . $count);
        }
        for ($i = 0; $i < $count; $i++) {
            $this->items[] = $item;
        }
        return $this;
    }

    public function total(): float
    {
        $sum = 0;
        foreach ($this->items as $key => $item) {
            $sum += $item->price ?? 1.5;
            if ($item === null && !isset($key)) {
                continue;
            }
        }
        $round = fn($n) => round($n * (1 + $this->tax), 2);
        echo "The sum is {$sum}\n";
        return $sum > 0 ? $round($sum) : -1;
    }

    public static function count(): int
    {
        while (true) {
            switch (self::LIMIT) {
                case 1:
                    break;
                default:
                    return 'x' === "y" ? 1 : 0;
            }
        }
    }
}
?>
<p>Thank you.</p>
