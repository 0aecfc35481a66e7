import type { TaskType } from '../../crm/task/task.enumerations.ts'
import { table } from './text.ts'

export interface Work {
  readonly type: TaskType
  readonly subject: string
}

/** Rows of `type | subject`. */
const work = (text: string): Work[] =>
  table(text).map(([type, subject]) => ({ type: type as TaskType, subject: subject! }))

/** What must be done: for leads, in each stage of a deal, for customers and for cases. */
export const workOf: Readonly<Record<string, readonly Work[]>> = {
  LEAD: work(`
    CALL | Call {person} for the first time
    EMAIL | Send {person} the overview of {product}
    FOLLOW_UP | Ask {person} whether the overview arrived
    TODO | Find out the size of the site in {city}
  `),
  PROSPECTING: work(`
    CALL | Call {person} about the first meeting
    TODO | Prepare the company profile of {company}
    EMAIL | Send the reference to {person}
  `),
  QUALIFICATION: work(`
    MEETING | Prepare the meeting with {person}
    FOLLOW_UP | Ask {person} for the questionnaire
    TODO | Check which interfaces {company} needs
  `),
  NEEDS_ANALYSIS: work(`
    TODO | Write the summary of the workshop at {company}
    MEETING | Book the travel to {city}
    TODO | Prepare a demonstration of {product} with their data
  `),
  PROPOSAL: work(`
    FOLLOW_UP | Ask {person} about the offer
    APPROVAL | Have the discount for {company} approved
    TODO | Revise the offer for {product}
    CALL | Answer the questions of the purchasing department
  `),
  NEGOTIATION: work(`
    TODO | Send the comments of {company} to the legal department
    CALL | Agree with {person} on the payment terms
    FOLLOW_UP | Ask {person} for the signed contract
  `),
  CLOSED_WON: work(`
    TODO | Hand {company} over to the project team
    EMAIL | Send {person} the plan of the introduction
  `),
  CLOSED_LOST: work(`
    TODO | Write down why we lost {company}
    FOLLOW_UP | Ask {person} again about {product}
  `),
  CUSTOMER: work(`
    CALL | Call {person} about the renewal
    MEETING | Prepare the review with {person}
    EMAIL | Send {person} the dates of the courses
    TODO | Update the contacts of {company}
    FOLLOW_UP | Ask {person} for a reference
  `),
  CASE: work(`
    CALL | Call {person} back
    FOLLOW_UP | Ask {person} whether the solution works
    TODO | Reproduce the problem in the test environment
  `),
}

/** Work that recurs: `rule | type | subject`. */
export const routines = table(`
  FREQ=MONTHLY;INTERVAL=3 | MEETING | Quarterly review with {person}
  FREQ=MONTHLY | CALL | Monthly call with {person}
`).map(([rule, type, subject]) => ({ rule: rule!, type: type as TaskType, subject: subject! }))
