import { isVariable, VariableCollector } from '@apollo/federation-internals'

function collect(collector: VariableCollector, value: unknown): void {
  if (isVariable(value)) collector.add(value)
  else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) collect(collector, part)
  }
}

/** The function of the package, with which a test compares the other. */
export const stockCollect = VariableCollector.prototype.collectInArguments

/**
 * The stock planner searches each list item twice for variables, so the time doubles with each level of nested lists: a literal
 * of forty levels would block the process for hours. This replaces the function with one that searches each item once.
 */
export function repairPlanner(): void {
  VariableCollector.prototype.collectInArguments = function (values) {
    for (const value of Object.values(values)) collect(this, value)
  }
}
