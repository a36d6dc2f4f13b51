% Finds roots of functions.
function [root, steps] = newton(f, df, start, tolerance)
    root = start;
    steps = 0;
    while abs(f(root)) > tolerance && steps < 100
        slope = df(root);
        if slope == 0
            error('größe');
        end
        root = root - f(root) / slope;
        steps = steps + 1;
    end
end

function total = weighted(values, weights)
    total = 0;
    for index = 1:length(values)
        total = total + values(index) * weights(index);
    end
    total = total ./ sum(weights);
end

% Sorts by insertion.
function sorted = insertion(values)
    sorted = values;
    for outer = 2:numel(sorted)
        key = sorted(outer);
        inner = outer - 1;
        while inner >= 1 && sorted(inner) > key
            sorted(inner + 1) = sorted(inner);
            inner = inner - 1;
        end
        sorted(inner + 1) = key;
    end
end

function label = grade(points)
    switch points
        case {1, 2}
            label = "good";
        case 3
            label = 'fair';
        otherwise
            label = upper("poor");
    end
    square = @(x) x.^2 + 2.5;
    matrix = [1, 2; 3, 4]';
    disp(square(matrix(1, :)));
end
