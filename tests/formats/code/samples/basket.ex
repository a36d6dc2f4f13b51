defmodule Basket do
  alias Basket.Item
  import Enum, only: [map: 2]

  @moduledoc "A basket of things."
  @limit 20

  # A thing has a name, a price and a number.
  defstruct items: [], owner: "größe", total: 0

  def new(owner), do: %Basket{owner: owner}

  def add(basket, name, price) when price > 0 do
    item = {name, price}
    %{basket | items: [item | basket.items], total: basket.total + price}
  end

  def add(basket, _name, _price), do: basket

  def cheapest(%Basket{items: items}) do
    items
    |> Enum.sort_by(fn {_name, price} -> price end)
    |> List.first()
  end

  defp discount(total, rate) do
    cond do
      total > 100 -> total * (1 - rate)
      total > @limit and rate != 0 -> total - 2.5
      true -> total
    end
  end

  def pay(basket, money) do
    due = discount(basket.total, 0.1)

    case money - due do
      rest when rest >= 0 -> {:ok, rest}
      missing -> {:error, "missing #{missing}"}
    end
  end

  def names(basket) do
    for {name, price} <- basket.items, price < 10 do
      if String.length(name) > 3, do: name, else: String.upcase(name)
    end
  end
end
