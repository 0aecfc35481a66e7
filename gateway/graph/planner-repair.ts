import { isVariable, VariableCollector } from '@apollo/federation-internals'

function collect(collector: VariableCollector, value: unknown): void {
  if (isVariable(value)) collector.add(value)
  else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) collect(collector, part)
  }
}

/**
 * The planner looks for variables in each item of a list twice, so lists in lists take it twice as long with every level: a
 * literal of forty levels would keep the process busy for hours.
 */
export function repairPlanner(): void {
  VariableCollector.prototype.collectInArguments = function (values) {
    for (const value of Object.values(values)) collect(this, value)
  }
}
