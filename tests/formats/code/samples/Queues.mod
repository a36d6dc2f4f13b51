MODULE Queues;

FROM InOut IMPORT WriteInt, WriteLn, WriteString;

(* A queue of numbers in a ring. *)
CONST
  Limit = 16;
  Title = "größe";

TYPE
  Ring = ARRAY [0..15] OF INTEGER;
  Queue = RECORD
    items: Ring;
    head, count: CARDINAL;
  END;

VAR
  mine: Queue;
  round: CARDINAL;

PROCEDURE Clear(VAR queue: Queue);
BEGIN
  queue.head := 0;
  queue.count := 0;
END Clear;

PROCEDURE Push(VAR queue: Queue; item: INTEGER): BOOLEAN;
VAR
  place: CARDINAL;
BEGIN
  IF queue.count >= Limit THEN
    RETURN FALSE;
  END;
  place := (queue.head + queue.count) MOD Limit;
  queue.items[place] := item;
  queue.count := queue.count + 1;
  RETURN TRUE;
END Push;

PROCEDURE Sum(queue: Queue): INTEGER;
VAR
  total: INTEGER;
  index: CARDINAL;
BEGIN
  total := 0;
  FOR index := 1 TO queue.count DO
    total := total + queue.items[index] * 2;
  END;
  WHILE total > 100 DO
    total := total - 100;
  END;
  RETURN total;
END Sum;

BEGIN
  Clear(mine);
  REPEAT
    IF Push(mine, 7) AND (round # 3) THEN INC(round); END;
  UNTIL round = 10;
  WriteString(Title);
  WriteInt(Sum(mine), 5);
  WriteLn;
END Queues.
