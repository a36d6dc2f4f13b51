import java.util.*;

class Route {
    private final Map<String, Map<String, Double>> roads = new HashMap<>();

    void connect(String from, String to, double length) {
        roads.computeIfAbsent(from, key -> new HashMap<>()).put(to, length);
        roads.computeIfAbsent(to, key -> new HashMap<>()).put(from, length);
    }

    Map<String, Double> distances(String start) {
        Map<String, Double> best = new HashMap<>();
        PriorityQueue<Map.Entry<String, Double>> border = new PriorityQueue<>(Map.Entry.comparingByValue());
        border.add(Map.entry(start, 0.0));
        while (!border.isEmpty()) {
            Map.Entry<String, Double> nearest = border.poll();
            if (best.putIfAbsent(nearest.getKey(), nearest.getValue()) != null) {
                continue;
            }
            roads.getOrDefault(nearest.getKey(), Map.of()).forEach((town, length) -> {
                if (!best.containsKey(town)) {
                    border.add(Map.entry(town, nearest.getValue() + length));
                }
            });
        }
        return best;
    }

    String farthest(String start) {
        return Collections.max(distances(start).entrySet(), Map.Entry.comparingByValue()).getKey();
    }

    boolean isConnected() {
        Deque<String> open = new ArrayDeque<>(roads.keySet().stream().limit(1).toList());
        Set<String> seen = new HashSet<>(open);
        while (!open.isEmpty()) {
            for (String town : roads.get(open.pop()).keySet()) {
                if (seen.add(town)) open.push(town);
            }
        }
        return seen.size() == roads.size();
    }
}
