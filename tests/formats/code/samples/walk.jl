module Walk

using Random
import Statistics: mean

# A walker on a line.
mutable struct Walker
    place::Int
    steps::Vector{Int}
end

abstract type Rule end

struct Fair <: Rule
    seed::Int
end

function step!(walker::Walker, by::Int)
    walker.place += by
    push!(walker.steps, by)
    return walker
end

#= Walks until the border. =#
function walk(rule::Fair, border::Int; most=1000)
    walker = Walker(0, Int[])
    count = 0
    while abs(walker.place) < border && count < most
        by = rand() < 0.5 ? -1 : 1
        step!(walker, by)
        count += 1
    end
    return walker, count
end

double(x) = 2x + 1

function summary(border)
    counts = [walk(Fair(seed), border)[2] for seed in 1:20]
    label = "größe"
    for (index, number) in enumerate(counts)
        if number % 2 == 0
            println(label, " ", index)
        elseif number > 100
            continue
        else
            break
        end
    end
    return mean(counts), 'x', :symbol
end

end
