import type { ActivityDirection, ActivityType } from '../../crm/activity/activity.enumerations.ts'
import { table } from './text.ts'

export interface Conversation {
  readonly type: ActivityType
  readonly direction: ActivityDirection | null
  readonly subject: string
  readonly body: string
}

/** Rows of `type | direction | subject | body`. */
const conversations = (text: string): Conversation[] =>
  table(text).map(([type, direction, subject, body]) => ({
    type: type as ActivityType,
    direction: (direction || null) as ActivityDirection | null,
    subject: subject!,
    body: body!,
  }))

/** What people talk about: with leads, in each stage of a deal, with customers and about cases. */
export const conversationsOf: Readonly<Record<string, readonly Conversation[]>> = {
  LEAD: conversations(`
    CALL | OUTBOUND | First call with {person} | Uses spreadsheets and a program from the nineties. Wants to see the product before the end of the quarter.
    CALL | OUTBOUND | Second attempt to reach {person} | Short call between two meetings; asked for an email with prices and a reference.
    EMAIL | OUTBOUND | Your question about {product} | Thank you for your interest. I attach an overview and propose a call next week to understand your processes.
    EMAIL | INBOUND | Re: Your question about {product} | Thank you, this looks interesting. Could you tell me how long an introduction takes for a site of our size?
    NOTE | INTERNAL | Background of the company | {industry} in {city}, about {count} people in the department. {pain} was mentioned at the fair.
    MEETING | OUTBOUND | Introduction of {product} | Showed the main screens. They liked the mobile app and asked about interfaces and the price per site.
  `),
  PROSPECTING: conversations(`
    CALL | OUTBOUND | Introduction with {person} | {pain} is a daily topic. No project yet, but a budget for next year. Agreed on a meeting with the operations team.
    EMAIL | OUTBOUND | {product}: a reference of your industry | As promised, the story of a company of your size. Would Tuesday suit you for a short call?
    EMAIL | INBOUND | Re: a reference of your industry | Thank you, my colleagues found it useful. Tuesday is fine; please invite our IT department too.
    NOTE | INTERNAL | Who decides | {person} prepares the decision, the management signs above 20,000. The IT department has a veto.
    CALL | INBOUND | Question about devices | Asked whether their scanners can be kept. Most of them can; the two oldest models must be replaced.
  `),
  QUALIFICATION: conversations(`
    MEETING | OUTBOUND | Qualification with {person} | Budget is planned, the decision should fall within this quarter. They also look at {competitor}.
    CALL | OUTBOUND | Budget and date | Budget confirmed by the finance department. They want to start before the next season.
    EMAIL | OUTBOUND | Questionnaire about your volumes | Attached is the questionnaire about orders, items and users. With it we can plan the site visit.
    EMAIL | INBOUND | Re: Questionnaire about your volumes | Attached are our numbers. The seasonal peak is {percent} percent above the average.
    NOTE | INTERNAL | Competitors | {competitor} has presented last week. Their weak point is support outside office hours.
  `),
  NEEDS_ANALYSIS: conversations(`
    MEETING | OUTBOUND | Site visit in {city} | Walked through receiving, storage and dispatch. {pain} costs them about two hours a day. Photos are in the project folder.
    MEETING | OUTBOUND | Workshop on the processes | Twelve requirements, three of them must be there at the start. {person} will send the list of interfaces.
    CALL | OUTBOUND | Open points after the workshop | Clarified the numbering of items and the labels. The interface to the ERP remains open.
    EMAIL | OUTBOUND | Summary of our workshop | Attached are the requirements as we understood them. Please confirm or correct them by Friday.
    EMAIL | INBOUND | Re: Summary of our workshop | Two corrections are in the attachment, the rest is right. When can we see it with our data?
    NOTE | INTERNAL | Result of the demonstration | The team was convinced by {product}. The IT department wants to test the interface itself.
  `),
  PROPOSAL: conversations(`
    EMAIL | OUTBOUND | Our offer for {product} | Please find our offer attached. The prices are valid for thirty days; I call you on Thursday to answer questions.
    CALL | OUTBOUND | Questions about the offer | They asked for a longer term with a better price, and for the course to be included.
    EMAIL | INBOUND | Re: Our offer for {product} | Our purchasing department has two questions about the payment terms and the start of the service.
    MEETING | OUTBOUND | Presentation to the management | Presented costs and benefits. The saving per year convinced them; they compare once more with {competitor}.
    NOTE | INTERNAL | Room for a discount | Up to {percent} percent if they sign for three years. Do not offer it before they ask.
  `),
  NEGOTIATION: conversations(`
    CALL | OUTBOUND | Payment terms | They want 60 days. Agreed on 45, with the first invoice at the go-live.
    EMAIL | INBOUND | Comments of our legal department | Attached is the contract with our comments. Most of them concern the liability and the data protection annex.
    EMAIL | OUTBOUND | Contract with your changes | We accept all but one point and propose a compromise there. Can we finish it this week?
    MEETING | OUTBOUND | Final negotiation | Agreed on scope, price and start. {person} will get the signatures.
    NOTE | INTERNAL | Verbal agreement | {person} has confirmed by phone. The order number follows when the management is back.
  `),
  CLOSED_WON: conversations(`
    EMAIL | OUTBOUND | Welcome, and the next steps | Thank you for your trust. The project lead will contact you this week to plan the start.
    NOTE | INTERNAL | Hand-over to the project team | Contract, requirements and contact persons are in the project folder. Go-live is planned in {weeks} weeks.
    CALL | OUTBOUND | Thank you, and the kick-off | Congratulated {person} on the decision and agreed on a date for the kick-off.
  `),
  CLOSED_LOST: conversations(`
    CALL | OUTBOUND | Why we lost | An open talk with {person}. We may ask again in a year.
    NOTE | INTERNAL | Lessons of the lost deal | We met the management too late, and the offer came after that of {competitor}.
    EMAIL | INBOUND | Our decision | Thank you for your effort. We have decided otherwise this time, and will keep you in mind.
  `),
  CUSTOMER: conversations(`
    MEETING | OUTBOUND | Quarterly review | Usage is up {percent} percent. They are content, apart from {pain}. Interested in {product}.
    CALL | OUTBOUND | How is it going? | All fine. A new shift starts soon, they may need more devices.
    CALL | INBOUND | Question about the invoice | The invoice shows the seats of two sites. Explained it and sent the list.
    EMAIL | OUTBOUND | News of this quarter | A summary of what is new, with two functions that fit your site.
    EMAIL | INBOUND | Contact for our new colleague | {person} asks for a course for two new colleagues in {city}.
    NOTE | INTERNAL | Change at the customer | Reorganisation in {city}; {person} is also responsible for purchasing from now on.
    SMS | OUTBOUND | Running late | Reached {person}: we arrive fifteen minutes later because of the traffic.
  `),
  CASE: conversations(`
    CALL | OUTBOUND | Call back about the case | Went through the steps with {person}. It works at one place and fails at the other.
    CALL | INBOUND | {person} asks for the state | Explained what we have found, and promised news by tomorrow.
    EMAIL | OUTBOUND | What we need from you | Please send the export of last night and a screenshot of the message.
    CHAT | INBOUND | Chat with {person} | Sent a link to the instructions; {person} tries them after the shift.
    NOTE | INTERNAL | Cause found | Same cause as in an earlier case. The fix is part of the next release.
  `),
}
