-- Customers and what they bought.
CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name VARCHAR(80) NOT NULL,
    city VARCHAR(40) DEFAULT 'größe',
    joined DATE
);

CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer INTEGER REFERENCES customers (id),
    amount DECIMAL(10, 2) NOT NULL,
    placed DATE
);

CREATE INDEX by_customer ON orders (customer);

INSERT INTO customers (id, name, city) VALUES (1, 'Ada', 'London');
INSERT INTO customers (id, name, city) VALUES (2, 'Grace', 'New York');
INSERT INTO orders (id, customer, amount) VALUES (1, 1, 19.95);

/* Who spent most? */
SELECT customers.name, SUM(orders.amount) AS spent, COUNT(*) AS bought
FROM customers
INNER JOIN orders ON orders.customer = customers.id
WHERE orders.amount > 10 AND customers.city <> 'Paris'
GROUP BY customers.name
HAVING COUNT(*) >= 2
ORDER BY spent DESC
LIMIT 5;

UPDATE orders SET amount = amount * 2 - 1 WHERE id = 1 OR placed IS NULL;

DELETE FROM orders WHERE amount BETWEEN 0 AND 1;

SELECT name,
    CASE WHEN city = 'London' THEN 'near' ELSE 'far' END AS distance
FROM customers
WHERE id IN (SELECT customer FROM orders WHERE amount < 100);
