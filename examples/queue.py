"""A queue with priorities: the smallest comes out first. An example for the front-end that reads source code."""


class PriorityQueue:
    """Keeps its items as a binary heap in one list."""

    def __init__(self, items=()):
        self.heap = []
        for item in items:
            self.push(item)

    def __len__(self):
        return len(self.heap)

    def push(self, item):
        """Put an item in its place: let it rise until its parent is no larger."""
        self.heap.append(item)
        at = len(self.heap) - 1
        while at > 0 and self.heap[at] < self.heap[(at - 1) // 2]:
            parent = (at - 1) // 2
            self.heap[at], self.heap[parent] = self.heap[parent], self.heap[at]
            at = parent

    def pop(self):
        """Take the smallest: the last item takes its place and sinks."""
        if not self.heap:
            raise IndexError("the queue is empty")
        smallest, last = self.heap[0], self.heap.pop()
        if self.heap:
            self.heap[0] = last
            self._sink()
        return smallest

    def _sink(self):
        at = 0
        while True:
            children = [child for child in (2 * at + 1, 2 * at + 2) if child < len(self.heap)]
            if not children:
                return
            least = min(children, key=lambda child: self.heap[child])
            if self.heap[at] <= self.heap[least]:
                return
            self.heap[at], self.heap[least] = self.heap[least], self.heap[at]
            at = least
