import { bounded } from './fixed-point.ts'
import type { Form, Moment, Node, Value } from './formula.ts'
import { formulaLimits } from './limits.ts'
import { reader } from './read-value.ts'
import { firstOf } from './text.ts'

type Fields = Readonly<Record<string, unknown>>
export type Evaluate = (record: Fields, moment: Moment | undefined) => Value

/** Numbers beyond 10^15 and empty texts are blank; texts are cut. */
function within(value: Value): Value {
  if (typeof value === 'bigint') return bounded(value)
  if (typeof value === 'string') return value === '' ? null : firstOf(value, formulaLimits.text)
  return value
}

function momentOf(moment: Moment | undefined): Moment {
  if (!moment) throw new Error('A formula that is not local needs the moment of the operation.')
  return moment
}

function call(
  { js, gives, takesBlank, isChoice, reads }: Form,
  args: readonly Evaluate[],
  blankIsZero: boolean,
): Evaluate {
  const apply = js as (...args: unknown[]) => Value
  const blank = gives === 'BOOLEAN' ? false : null
  return (record, moment) => {
    const values: unknown[] = []
    for (const argument of args) {
      const value = argument(record, moment) ?? (blankIsZero ? 0n : null)
      if (value === null && !takesBlank) return blank
      values.push(value)
    }
    if (reads) values.push(momentOf(moment)[reads])
    const result = apply(...values)
    return isChoice ? result : within(result)
  }
}

/** The function that evaluates a tree. It never fails. */
export function evaluation(node: Node): Evaluate {
  switch (node.kind) {
    case 'literal':
      return () => node.value
    case 'field':
      return behind(node, reader(node.type, node.field.path, node.field.absent))
    case 'formula':
      return behind(node, evaluation(node.formula.tree))
    case 'call':
      return call(node.form, node.args.map(evaluation), node.blankIsZero)
  }
}

type Related = Pick<Extract<Node, { relations: unknown }>, 'type' | 'relations'>

/** What is reached through relations; blank where there is no such record. */
function behind({ type, relations }: Related, evaluate: Evaluate): Evaluate {
  if (relations.length === 0) return evaluate
  const blank = type === 'BOOLEAN' ? false : null
  return (record, moment) => {
    let at: Fields | null | undefined = record
    for (const relation of relations) at = at?.[relation] as Fields | null | undefined
    return at ? evaluate(at, moment) : blank
  }
}
