import { beforeAll, describe, expect, it } from 'vitest'
import { intents, questionObjects } from '../../subgraphs/assistant/question/question.ts'
import { usePlatform } from '../platform.ts'
import { expectTrue } from './expected.ts'
import { SeededOrganization } from './organization.fixture.ts'
import { paraphrases } from './paraphrases.ts'
import { questions } from './questions.ts'
import { tables, type Asked, type Table } from './truth.ts'

const platform = usePlatform()
let seeded: SeededOrganization

beforeAll(async () => {
  seeded = await SeededOrganization.load(platform)
})

/** The questions without an answer. Every answer must be true. */
async function unanswered(asked: readonly Asked[]): Promise<string[]> {
  const without: string[] = []
  const wrong: string[] = []
  for (const [text, truth] of asked) {
    const answer = await seeded.ask(text).catch((error: unknown) => {
      wrong.push(`${text}: ${String(error).slice(0, 300)}`)
      return null
    })
    if (!answer) continue
    if (!answer.toolCalls.some(({ status }) => status === 'OK')) {
      expect(answer.content, text).not.toMatch(/\*\*/)
      without.push(text)
      continue
    }
    await expectTrue(seeded, truth, answer).catch((error: unknown) => {
      wrong.push(`${text}: ${answer.content.slice(0, 200)}: ${String(error).slice(0, 300)}`)
    })
  }
  expect(wrong).toEqual([])
  return without
}

/** Those of the names that fewer than five of the values are. */
const fewerThanFive = (names: readonly string[], values: readonly string[]): string[] =>
  names.filter((name) => values.filter((value) => value === name).length < 5)

describe('the set of questions', () => {
  it('has at least 150, and five for each intent, the attainment of quotas and each record type', () => {
    expect(questions.length).toBeGreaterThanOrEqual(150)
    expect(new Set(questions.map(([text]) => text)).size).toBe(questions.length)
    const kinds = questions.map(([, { kind }]) => kind)
    expect(fewerThanFive([...intents, 'ATTAINMENT'], kinds)).toEqual([])
    // What a timeline shows are activities, whatever record it is of.
    const asked = questions.filter(([, { kind }]) => kind !== 'TIMELINE').map(([, { table }]) => table)
    const tableOf = (object: string): string => tables[(object === 'opportunity' ? 'deal' : object) as Table]
    expect(fewerThanFive(questionObjects.map(tableOf), asked)).toEqual([])
  })
})

describe('answers without a language model', () => {
  it('answers the questions of the set, and none wrong', async () => {
    expect(await unanswered(questions)).toEqual(['How many products cost more than 1,000 EUR?'])
  })

  it('answers no paraphrase wrong', async () => {
    expect(await unanswered(paraphrases)).toEqual([
      "what's the number of companies in our database",
      'how many invoices have not been paid',
      'how many phone calls happened last week',
      'how many people work at {account}',
      'how much do customers still owe us',
      'how big is a typical deal',
      'what do I have to do today',
      'anything overdue for me',
      'deals we expect to close before the end of this month',
      'pull up the hot leads',
      'which order was the most expensive',
      'break down the cases by priority',
      'split tasks by status',
      'any news from {account}',
      'how is the deal "{deal}" doing',
    ])
  })
})
