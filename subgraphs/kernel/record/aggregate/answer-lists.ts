const figures = { sum: ['sum'], average: ['average'], min: ['min'], max: ['max'] }

/**
 * Lists in the answer of an aggregate by type and field, each with the argument of the root field that has its size, as a number or by the number of its items. Without
 * items in one of the further arguments the list is empty. For the cost of an operation.
 */
export const sizedByArguments: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Aggregate: { groups: ['limit', 'groupBy'] },
  AggregateGroup: { ...figures, keys: ['groupBy'] },
  AggregateTotal: figures,
}
