import type { Calendar } from '../question/periods.ts'
import type { FoundName } from '../question/find-names.ts'
import { fieldWords } from '../question/label.ts'
import { exact, plain } from '../question/words.ts'
import { propose, type Change } from '../proposal/propose.ts'
import type { ToolCalling } from '../tool/tool.ts'
import type { NamedRecords } from './named-records.ts'
import type { RequestAnswer } from './said.ts'

/** A request with what is needed to read it. */
export interface Request {
  readonly calling: ToolCalling
  readonly message: string
  readonly calendar: Calendar
  readonly names: NamedRecords
}

/** A part of a change in words. */
export type Line = readonly [name: string, value: string]

/** A change in one sentence; `value` is the text in it that will be written. */
export interface Sentence {
  readonly before: string
  readonly value: string
  readonly after?: string
}

/** Stores the change as a proposal, and says what it is. Whoever confirms it reads each value as it will be written. */
export async function proposed(
  { calling }: Request,
  change: Change,
  {
    sentence: { before, value, after = '' },
    lines,
    about,
  }: { readonly sentence: Sentence; readonly lines: readonly Line[]; readonly about: readonly FoundName[] },
): Promise<RequestAnswer> {
  const { id, summary: stored } = await propose(calling, change, `${before}${value}${after}`)
  const { object, action, input } = change
  const told = lines.map(([name, text]) => `- ${fieldWords(name)}: ${exact(text)}`)
  return {
    content: [
      `I propose: ${plain(before)}${exact(value)}${plain(after)}`,
      ...told,
      'Nothing is changed until you confirm the proposal, within an hour.',
    ].join('\n'),
    citations: about.map((one) => ({
      entityType: one.object.toUpperCase(),
      entityId: one.id,
      field: null,
      label: one.label,
    })),
    toolCalls: [
      {
        name: 'propose_change',
        input: { action, object, ...(change.id && { id: change.id }), input },
        output: { rows: 0, proposalId: id, summary: stored },
        status: 'OK',
      },
    ],
    notUnderstood: [],
  }
}
