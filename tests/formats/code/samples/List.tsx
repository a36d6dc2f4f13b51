import React, { useState } from "react";
import "./list.css";

interface Props {
  title: string;
  items: { id: number; name: string }[];
  onSelect?: (id: number) => void;
}

// A list that can be narrowed.
export function List({ title, items, onSelect }: Props): JSX.Element {
  const [query, setQuery] = useState<string>("");
  const [selected, setSelected] = useState<number | null>(null);
  const shown = items.filter((item) => item.name.includes(query) && item.id !== -1);

  function select(id: number) {
    if (selected === id) {
      setSelected(null);
      return;
    }
    setSelected(id);
    onSelect?.(id);
  }

  if (items.length === 0) {
    return <p className="empty">Nothing größer here.</p>;
  }
  return (
    <section>
      <h2>{title}</h2>
      <input value={query} onChange={(event) => setQuery(event.target.value)} />
      <ul>
        {shown.map((item) => (
          <li key={item.id} onClick={() => select(item.id)}>
            {item.id === selected ? <b>{item.name}</b> : item.name}
          </li>
        ))}
      </ul>
    </section>
  );
}

export default List;
