-- Pays people, größe of the sum is noted.
CREATE OR REPLACE PROCEDURE pay_all(least IN NUMBER, total OUT NUMBER) IS
    bonus NUMBER := 0;
    counter INTEGER := 0;
    label VARCHAR(40) := 'größe';
    CURSOR people IS
        SELECT id, name, wage FROM workers WHERE wage > least;
BEGIN
    total := 0;
    FOR person IN people LOOP
        IF person.wage > 5000 THEN
            bonus := person.wage * 2 - 1;
        ELSIF person.wage = 1000 THEN
            bonus := 50;
        ELSE
            bonus := 0;
        END IF;
        total := total + person.wage + bonus;
        counter := counter + 1;
        UPDATE workers SET paid = total WHERE id = person.id;
    END LOOP;
    /* Notes the sum. */
    INSERT INTO notes (label, amount) VALUES (label, total);
    WHILE counter > 10 LOOP
        counter := counter - 10;
    END LOOP;
    IF total <> 0 AND counter >= 3 THEN
        COMMIT;
    END IF;
EXCEPTION
    WHEN no_data_found THEN
        total := NULL;
END;

CREATE OR REPLACE FUNCTION average(first IN NUMBER, last IN NUMBER) RETURN NUMBER IS
    result NUMBER;
BEGIN
    SELECT avg(wage) INTO result FROM workers WHERE id BETWEEN first AND last;
    RETURN result / 2.5;
END;
