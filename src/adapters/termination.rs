//! The signals that ask a process to end: from a person, from the system, from a terminal that has gone.

/// Waits until a signal asks this process to end (K39); from then on it has to do so by itself. Without signals it waits for
/// ever.
pub async fn termination_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut term), Ok(mut hup)) = (signal(SignalKind::terminate()), signal(SignalKind::hangup()))
        else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = term.recv() => {}
            _ = hup.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    }
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Listener for a signal that asks the process to end. From its creation on such a signal ends nothing by itself and is never missed,
/// whatever the process waits for meanwhile.
#[derive(Debug, Clone)]
pub struct Interruption {
    heard: tokio::sync::watch::Receiver<bool>,
}

impl Interruption {
    /// Begins to listen. Blocks until it does.
    pub fn listen() -> Interruption {
        let (sender, heard) = tokio::sync::watch::channel(false);
        let (listens, ready) = std::sync::mpsc::sync_channel(1);
        let listener = std::thread::Builder::new().name("interruption".to_owned());
        let started = listener.spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let Ok(runtime) = runtime else { return };
            runtime.block_on(async {
                let mut signal = std::pin::pin!(termination_signal());
                // The first poll registers the handlers.
                let was_heard = tokio::select! {
                    biased;
                    () = &mut signal => true,
                    () = std::future::ready(()) => false,
                };
                if listens.send(()).is_err() {
                    return;
                }
                if !was_heard {
                    signal.await;
                }
                sender.send_modify(|is_heard| *is_heard = true);
            });
        });
        // Without a thread that listens nothing is ready, and the sender is gone.
        drop((started, ready.recv()));
        Interruption { heard }
    }

    /// Waits for the signal; for ever if none can be heard.
    pub async fn heard(&self) {
        let mut heard = self.heard.clone();
        if heard.wait_for(|is_heard| *is_heard).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
