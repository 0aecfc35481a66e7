/** The number of items of an argument, or of several together. */
type Sizing = string | readonly string[]

const figures = {
  sum: [['sum', 'sumOfCustomFields']],
  average: [['average', 'averageOfCustomFields']],
  min: [['min', 'minOfCustomFields']],
  max: [['max', 'maxOfCustomFields']],
}

/**
 * Lists in the answer of an aggregate by type and field, each with the argument of the root field that has its size, as a number or by the number of its items,
 * or several whose items are counted together. Without
 * items in one of the further arguments the list is empty. For the cost of an operation.
 */
export const sizedByArguments: Readonly<Record<string, Readonly<Record<string, readonly Sizing[]>>>> = {
  Aggregate: { groups: ['limit', 'groupBy'] },
  AggregateGroup: { ...figures, keys: ['groupBy'] },
  AggregateTotal: figures,
}
