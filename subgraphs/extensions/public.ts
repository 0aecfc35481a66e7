export { checkedCall, type ActionCall } from './action/checked-call.ts'
export type { CustomAction } from './action/custom-action.ts'
export { isConfined, mayRunActions, requireToolAction, toolActions, type ToolAction } from './action/tool-actions.ts'
export { registerUse } from './used-by.ts'
