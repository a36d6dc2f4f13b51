program Accounts;

uses SysUtils, Classes;

{ Accounts of a small bank. }
const
  Limit = 20;
  Title = 'größe';

type
  TAccount = record
    Owner: string;
    Balance: Integer;
  end;
  TAccounts = array[1..Limit] of TAccount;

var
  All: TAccounts;
  Count, Index: Integer;

procedure Open(Name: string; Amount: Integer);
begin
  if Count >= Limit then
    Exit;
  Count := Count + 1;
  All[Count].Owner := Name;
  All[Count].Balance := Amount;
end;

function Total(Least: Integer): Integer;
var
  Sum, I: Integer;
begin
  Sum := 0;
  for I := 1 to Count do
  begin
    if (All[I].Balance > Least) and (I <> 3) then
      Sum := Sum + All[I].Balance
    else
      Sum := Sum - 1;
  end;
  Total := Sum;
end;

// The program itself.
begin
  Count := 0;
  Open('Ada', 50);
  Open('Grace', 75);
  Index := 1;
  while Index < 10 do
    Index := Index * 2;
  repeat
    Index := Index div 2;
  until Index = 0;
  case Count of
    1: WriteLn('one');
    2: WriteLn('two', 2.5);
  end;
  WriteLn(Total(10));
end.
