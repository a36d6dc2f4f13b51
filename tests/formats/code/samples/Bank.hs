module Bank where

import qualified Data.Map as Map
import Data.List (sortBy)

-- An account has an owner and a balance.
data Account = Account
  { owner :: String
  , balance :: Int
  } deriving (Show, Eq)

data Order = Deposit Int | Withdraw Int | Transfer String Int

type Bank = Map.Map String Account

{- Applies an order to an account. -}
apply :: Order -> Account -> Maybe Account
apply (Deposit amount) account
  | amount <= 0 = Nothing
  | otherwise = Just account { balance = balance account + amount }
apply (Withdraw amount) account
  | amount > balance account = Nothing
  | otherwise = Just account { balance = balance account - amount }
apply (Transfer _ amount) account = apply (Withdraw amount) account

total :: Bank -> Int
total bank = foldr step 0 (Map.elems bank)
  where
    step account sum' = balance account + sum'

richest :: [Account] -> [Account]
richest accounts = take 3 (sortBy order accounts)
  where
    order left right = compare (balance right) (balance left)

squares :: Int -> [Int]
squares limit = [n * n | n <- [1 .. limit], even n]

report :: Account -> String
report account = if balance account > 100 then "größe" else name ++ "!"
  where
    name = case owner account of
      [] -> "nobody"
      letters -> map succ letters

main :: IO ()
main = do
  let account = Account "Ada" 50
  print (apply (Deposit 20) account)
  mapM_ print (squares 10)
