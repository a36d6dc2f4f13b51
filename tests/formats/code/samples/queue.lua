local helper = require("helper")

-- A queue with two ends.
local Queue = {}
Queue.__index = Queue

function Queue.new(limit)
  local self = setmetatable({}, Queue)
  self.first = 1
  self.last = 0
  self.limit = limit or 10
  self.items = {}
  return self
end

function Queue:push(item)
  if self.last - self.first + 1 >= self.limit then
    return false, "größe"
  end
  self.last = self.last + 1
  self.items[self.last] = item
  return true
end

function Queue:pop()
  if self.first > self.last then return nil end
  local item = self.items[self.first]
  self.items[self.first] = nil
  self.first = self.first + 1
  return item
end

--[[ Sums what is in it. ]]
local function total(queue)
  local sum, index = 0, queue.first
  while index <= queue.last do
    sum = sum + queue.items[index] * 2.5
    index = index + 1
  end
  for name, value in pairs(queue) do
    if type(value) == "number" and not (value ~= 3) then sum = sum - #name end
  end
  return sum
end

local queue = Queue.new(3)
for number = 1, 5 do queue:push(number) end
repeat local gone = queue:pop() until gone == nil
print(total(queue) .. "!")
