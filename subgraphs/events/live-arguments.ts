/** Descriptions of arguments that the subscriptions to events share. */
export const cursorDescription =
  'The `cursor` of the last received event, or at the beginning `viewer { eventCursor }`, asked before the first read of records: events after it are sent first, so a client misses nothing between that read and the subscription, nor when it reconnects. Events are kept for 30 days; an older cursor is refused with CURSOR_EXPIRED, one that the log does not have with UNKNOWN_CURSOR. "0" begins with the oldest event that is kept. Without it, only new events are sent.'
export const filterLogicDescription = 'How the conditions are combined; null means AND.'
