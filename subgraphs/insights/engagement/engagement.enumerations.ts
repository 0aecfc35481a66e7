import { enumeration } from '../../kernel/record/column.ts'

export const EngagementActivityType = enumeration('EngagementActivityType', 'What happened; the channel of a score.', {
  EMAIL: 'An email. It counts if the customer wrote it or replied.',
  CALL: 'A call. It counts if somebody was reached.',
  MEETING: 'A meeting. It counts unless somebody did not come.',
  NOTE: 'A note. It does not count by default.',
  SMS: 'A text message. It counts if the customer wrote it or replied.',
  CHAT: 'A chat. It counts if the customer began it or replied.',
  WEB_VISIT: 'A visit of a web page.',
  FORM_SUBMISSION: 'A submitted form, such as the request for a demonstration.',
  EVENT_ATTENDANCE: 'The attendance of an event.',
  PRODUCT_USAGE: 'A use of the product. It does not count by default.',
  DOCUMENT_VIEW: 'A view of a document.',
  STAGE_CHANGE: 'A move to another stage. It does not count by default.',
  SYSTEM: 'Anything else that software noticed. It does not count by default.',
  CLICK: 'A click on a link of an email.',
  OPEN: 'A person opened an email.',
})

export const RelationshipType = enumeration('RelationshipType', 'How two entities are related; it leads both ways.', {
  EMPLOYED_AT: 'A person works for an account.',
  DECISION_MAKER_ON: 'A person decides on a deal.',
  CHAMPION_ON: 'A person supports a deal.',
  REPORTS_TO: 'A person reports to another one.',
  INTERACTED: 'Two people were in contact; the strength is the number of contacts, older ones counted for less.',
  PARENT_OF: 'An account is the parent of another one.',
})

export const EngagementTrend = enumeration('EngagementTrend', 'Where engagement is going.', {
  ACCELERATING: 'It grows by more than 20 %, faster than before.',
  GROWING: 'It grows by more than 10 %.',
  STABLE: 'It changes by at most 10 %.',
  DECLINING: 'It falls by more than 10 %.',
  CHURNING: 'It falls by more than 30 %, faster than before, or it has been silent for three times as long as usual.',
})

export const EngagementFactor = enumeration('EngagementFactor', 'A part of the rank score.', {
  NETWORK: 'Importance in the network of relationships.',
  ENGAGEMENT: 'Activities, recent ones counted for more.',
  MOMENTUM: 'The change of activity.',
})

export const EngagementInsightKey = enumeration('EngagementInsightKey', 'What a remark is about.', {
  NO_ENGAGEMENT: 'No activity of the customer is known.',
  SILENT: 'Nothing has happened for three times as long as usual.',
  RISING: 'More activity than chance explains.',
  FALLING: 'Less activity.',
  CENTRAL: 'Among the best connected tenth.',
  ONE_CHANNEL: 'All activity is of one type.',
})

export const EngagementPriority = enumeration('EngagementPriority', 'How urgent it is.', {
  HIGH: 'Today.',
  MEDIUM: 'This week.',
  LOW: 'When there is time.',
})

export const EngagementRecommendationKey = enumeration(
  'EngagementRecommendationKey',
  'What to do with some entities.',
  {
    RE_ENGAGE: 'Call those that are about to be lost.',
    CHECK_DECLINE: 'Ask those whose engagement falls what has changed.',
    USE_MOMENTUM: 'Propose a next step to those whose engagement accelerates.',
    BEGIN_CONTACT: 'Begin contact with those without any known activity.',
  },
)

export const EngagementAction = enumeration('EngagementAction', 'What to do next.', {
  RESOLVE_CONCERN: 'Ask what is wrong: the last known mood was negative.',
  ANSWER_REQUEST: 'Answer the customer, who got in touch.',
  RESCHEDULE_MEETING: 'Propose another time for a meeting to which nobody came.',
  RE_ENGAGE: 'Call the customer, who is about to be lost.',
  PROPOSE_MEETING: 'Propose a meeting while engagement grows.',
  CALL_AGAIN: 'Call again: nobody was reached.',
  FOLLOW_UP: 'Write to somebody who has shown interest.',
  USE_OTHER_CHANNEL: 'Use another channel: all engagement is of one type.',
  FIND_CONTACTS: 'Find people: no relationship is known.',
  BEGIN_CONTACT: 'Begin contact: no activity is known.',
  KEEP_CONTACT: 'Go on as before.',
})

export const EngagementStepSource = enumeration('EngagementStepSource', 'Who proposed the steps.', {
  RULES: 'Fixed rules, so that equal requests have equal steps.',
})
