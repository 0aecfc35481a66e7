import type { Form } from './formula.ts'
import { dates } from './functions/dates.ts'
import type { FunctionTable } from './functions/form.ts'
import { logic } from './functions/logic.ts'
import { numbers } from './functions/numbers.ts'
import { texts } from './functions/texts.ts'

/** Every function and operator, with both backends: JavaScript and SQL. A new one is one entry. */
export const functions: FunctionTable = {
  ...logic,
  '||': logic['OR']!,
  '&&': logic['AND']!,
  ...numbers,
  ...texts,
  ...dates,
}

export const formsOf = (name: string): readonly Form[] | null =>
  Object.hasOwn(functions, name) ? functions[name]! : null
