import { render } from 'preact';
import { configuration } from './state/configuration.ts';
import { loadMessages } from './state/messages.ts';
import { startSession } from './state/session.ts';
import { loadTheme } from './state/theme.ts';
import { component } from './view/elements.ts';
import { Gate } from './view/gate.ts';

loadTheme();
await Promise.all([loadMessages(configuration.messages), startSession()]);
render(component(Gate, {}), document.body);
