/** The cookies of a session. The first is the credential itself; the second is for the page, to be sent with writes. */
export const accessCookie = 'access_token'
export const csrfCookie = 'csrf_token'
/** Not of a session: on this device somebody has signed in before. */
export const deviceCookie = 'device_token'
