library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

-- Counts up, größe is set by a generic.
entity counter is
  generic (
    width : integer := 8
  );
  port (
    clock  : in std_logic;
    reset  : in std_logic;
    enable : in std_logic;
    value  : out std_logic_vector(width - 1 downto 0)
  );
end entity counter;

architecture behaviour of counter is
  signal state : unsigned(width - 1 downto 0);
  constant limit : integer := 200;
  type phase is (idle, running, done);
  signal current : phase;
begin

  count : process (clock, reset)
    variable steps : integer := 0;
  begin
    if reset = '1' then
      state <= (others => '0');
      current <= idle;
      steps := 0;
    elsif rising_edge(clock) then
      if enable = '1' and state < limit then
        state <= state + 1;
        steps := steps + 2;
      end if;
      case current is
        when idle =>
          current <= running;
        when running =>
          if steps >= 10 then
            current <= done;
          end if;
        when others =>
          null;
      end case;
      for index in 0 to 3 loop
        steps := steps - index;
      end loop;
    end if;
  end process count;

  value <= std_logic_vector(state);

end architecture behaviour;
