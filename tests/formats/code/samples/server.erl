-module(server).
-export([start/1, stop/0, count/2]).
-include("records.hrl").

%% A server that counts words, größe unbounded.
-record(state, {words = [], total = 0, label = "größe"}).

start(Limit) ->
    Pid = spawn(fun() -> loop(#state{}, Limit) end),
    register(counter, Pid),
    {ok, Pid}.

stop() ->
    counter ! stop.

loop(State, Limit) ->
    receive
        {add, Word} when State#state.total < Limit ->
            Words = [Word | State#state.words],
            loop(State#state{words = Words, total = State#state.total + 1}, Limit);
        {ask, From} ->
            From ! {answer, State#state.total * 2},
            loop(State, Limit);
        stop ->
            ok;
        _Other ->
            loop(State, Limit)
    after 1000 ->
        timeout
    end.

count(_Word, []) ->
    0;
count(Word, [Word | Rest]) ->
    1 + count(Word, Rest);
count(Word, [_ | Rest]) ->
    count(Word, Rest).

rank(Number) ->
    if
        Number > 100 -> high;
        Number =:= 10; Number /= 3 -> middle;
        true -> low
    end.

mean(Numbers) ->
    Sum = lists:foldl(fun(One, Two) -> One + Two end, 0, Numbers),
    case length(Numbers) of
        0 -> 2.5;
        Count -> Sum / Count - 1
    end.
