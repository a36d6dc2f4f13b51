with Ada.Text_IO; use Ada.Text_IO;

procedure Stacks is

   -- A stack of whole numbers.
   Limit : constant Integer := 16;
   Full  : exception;

   type Numbers is array (1 .. Limit) of Integer;

   type Stack is record
      Items : Numbers;
      Top   : Integer := 0;
   end record;

   procedure Push (Self : in out Stack; Item : in Integer) is
   begin
      if Self.Top >= Limit then
         raise Full;
      end if;
      Self.Top := Self.Top + 1;
      Self.Items (Self.Top) := Item;
   end Push;

   function Sum (Self : Stack) return Integer is
      Total : Integer := 0;
   begin
      for Index in 1 .. Self.Top loop
         if Self.Items (Index) mod 2 = 0 then
            Total := Total + Self.Items (Index);
         elsif Index > 3 and then Total /= 7 then
            Total := Total - 1;
         else
            null;
         end if;
      end loop;
      return Total;
   end Sum;

   Mine  : Stack;
   Count : Integer := 1;
begin
   while Count < 10 loop
      Push (Mine, Count * Count);
      Count := Count + 1;
   end loop;
   Put_Line ("größe" & Integer'Image (Sum (Mine)));
   case Count is
      when 1 => Put_Line ("one");
      when others => Put ('x');
   end case;
exception
   when Full => Put_Line ("full");
end Stacks;
