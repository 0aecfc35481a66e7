import { Refusal } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { Arguments, Heard } from '../tool/tool.ts'

const labelMin = 4

const wordsOf = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `

/** Whether the user has written the id of the record or its whole name. */
export function isNamed({ said }: Heard, id: string, label: string | null): boolean {
  if (said.some((text) => text.toLowerCase().includes(id.toLowerCase()))) return true
  const name = label === null ? '' : wordsOf(label)
  return name.trim().length >= labelMin && said.some((text) => wordsOf(text).includes(name))
}

/** Every record that the input refers to must be one that the user has named, or the user. */
export function requireNamedReferences(heard: Heard, input: Arguments, userId: string): void {
  const pending: unknown[] = Object.values(input)
  for (let value = pending.pop(); pending.length > 0 || value !== undefined; value = pending.pop()) {
    if (typeof value === 'object' && value !== null) pending.push(...(Object.values(value) as unknown[]))
    if (typeof value !== 'string' || !isId(value) || value.toLowerCase() === userId) continue
    const known = heard.returned.get(value.toLowerCase())
    if (!isNamed(heard, value, known?.label ?? null))
      throw new Refusal(
        'PERMISSION_DENIED',
        'A change may refer only to records that the user has named, after texts of records were read. Ask the user to name them.',
      )
  }
}
