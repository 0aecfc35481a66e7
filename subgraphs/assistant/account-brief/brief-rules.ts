import { isRawNumber } from '../../kernel/json/exact-number.ts'
import { pointMax, pointsMax, summaryMax } from './bounds.ts'
import type { Brief, Facts } from './facts.ts'

/** The name of the rules where a model has its name. Changes whenever their texts change. */
export const briefRules = 'brief-rules-1'

const healthyFrom = 70
const unhealthyBelow = 40
const likelyFrom = 70

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`
const words = (constant: string): string => constant.toLowerCase().replaceAll('_', ' ')
const article = (word: string): string => (/^[aeio]/i.test(word) ? 'an' : 'a')
const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

function introduction({ name, type, industry, owner }: Facts['account']): string {
  const kind = type && type !== 'OTHER' ? ` is ${article(words(type))} ${words(type)}` : industry ? ' is a company' : ''
  const place = industry ? ` in ${industry}` : ''
  const held = owner ? `${kind ? ' and' : ''} belongs to ${owner}` : ''
  return kind || held ? `${name}${kind}${place}${held}.` : `${name}.`
}

function dealSentences({ openDeals }: Facts): string[] {
  if (!openDeals) return []
  const open = `${counted(openDeals.total, 'deal is', 'deals are')} open.`
  const [first] = openDeals.first
  return first?.name && first.closeDate ? [open, `The first one closes on ${first.closeDate}: ${first.name}.`] : [open]
}

function summaryOf(facts: Facts): string {
  const { account, invoices, openCases, lastActivities } = facts
  const sentences = [introduction(account), ...dealSentences(facts)]
  if (invoices) sentences.push(`${counted(invoices.overdueCount, 'invoice is', 'invoices are')} overdue.`)
  if (openCases) sentences.push(`${counted(openCases.total, 'case is', 'cases are')} open.`)
  const [last] = lastActivities ?? []
  if (last) {
    const what = last.type ? `${article(last.type)} ${words(last.type)}` : 'something'
    sentences.push(`The last activity was ${what} on ${last.date}${last.subject ? `: ${last.subject}` : ''}.`)
  }
  return sentences.join(' ')
}

const numberOf = (value: unknown): number => (isRawNumber(value) ? Number(value.rawJSON) : Number(value ?? 0))

function highlightsOf({ health, openDeals, openCases, invoices }: Facts): string[] {
  const highlights = (openDeals?.first ?? []).flatMap(({ name, probability }) =>
    name && numberOf(probability) >= likelyFrom
      ? [`The deal ${name} is likely to be won: ${JSON.stringify(probability)} percent.`]
      : [],
  )
  if (health !== null && health >= healthyFrom) highlights.unshift(`The health is good: ${health}.`)
  if (invoices && invoices.overdueCount === 0 && numberOf(invoices.outstanding) > 0)
    highlights.push(`Nothing of the open ${JSON.stringify(invoices.outstanding)} ${invoices.currency} is overdue.`)
  if (openCases?.total === 0) highlights.push('No case is open.')
  return highlights
}

function risksOf({ today, health, openDeals, openCases, invoices }: Facts): string[] {
  const risks: string[] = []
  if (health !== null && health < unhealthyBelow) risks.push(`The health is low: ${health}.`)
  if (openCases && openCases.escalated > 0)
    risks.push(`${counted(openCases.escalated, 'case is', 'cases are')} escalated.`)
  for (const { number, amountDue, currency, dueDate } of invoices?.overdue ?? [])
    risks.push(
      `The invoice ${number ?? 'without a number'} is overdue${dueDate ? ` since ${dueDate}` : ''}${
        amountDue !== null && currency ? `: ${JSON.stringify(amountDue)} ${currency}` : ''
      }.`,
    )
  for (const { name, closeDate } of openDeals?.first ?? [])
    if (name && closeDate && closeDate < today) risks.push(`The deal ${name} should have closed on ${closeDate}.`)
  return risks
}

/** Writes the brief by fixed rules. Its numbers are those of the facts; the same facts always give the same brief. */
export const briefByRules = (facts: Facts): Brief => {
  const points = (texts: readonly string[]) => texts.slice(0, pointsMax).map((text) => cut(text, pointMax))
  return {
    summary: cut(summaryOf(facts), summaryMax),
    highlights: points(highlightsOf(facts)),
    risks: points(risksOf(facts)),
  }
}
