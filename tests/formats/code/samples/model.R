library(stats)

# Fits a line and looks at what is left.
fit <- function(x, y, weight = 1) {
  count <- length(x)
  if (count < 2 || count != length(y)) {
    stop("größe")
  }
  slope <- sum((x - mean(x)) * (y - mean(y))) / sum((x - mean(x))^2)
  start <- mean(y) - slope * mean(x)
  list(slope = slope * weight, start = start)
}

residuals_of <- function(model, x, y) {
  left <- numeric(length(x))
  for (index in seq_along(x)) {
    guess <- model$start + model$slope * x[index]
    left[index] <- y[index] - guess
  }
  left
}

outliers <- function(left, limit = 2.5) {
  found <- c()
  index <- 1
  while (index <= length(left)) {
    if (abs(left[index]) > limit && !is.na(left[index])) {
      found <- c(found, index)
    } else {
      index <- index
    }
    index <- index + 1
  }
  found
}

x <- c(1, 2, 3, 4, 5)
y <- c(2.1, 3.9, 6.2, 7.8, 30.5)
model <- fit(x, y)
left <- residuals_of(model, x, y)
names <- sapply(outliers(left), function(place) paste("point", place))
print(names)
repeat {
  model <- NULL
  if (TRUE) break
}
