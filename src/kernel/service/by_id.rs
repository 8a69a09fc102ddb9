//! A map by name that costs next to no code: the kernel keeps several, each of a few entries.

/// What is kept under names.
pub(super) struct ById<T>(Vec<(String, T)>);

impl<T> Default for ById<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> ById<T> {
    fn place(&self, id: &str) -> Option<usize> {
        self.0.iter().position(|(name, _)| name == id)
    }

    pub fn contains_key(&self, id: &str) -> bool {
        self.place(id).is_some()
    }

    pub fn get(&self, id: &str) -> Option<&T> {
        self.place(id).map(|at| &self.0[at].1)
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut T> {
        self.place(id).map(|at| &mut self.0[at].1)
    }

    pub fn insert(&mut self, id: String, value: T) {
        match self.get_mut(&id) {
            Some(old) => *old = value,
            None => self.0.push((id, value)),
        }
    }

    pub fn remove(&mut self, id: &str) -> Option<T> {
        self.place(id).map(|at| self.0.swap_remove(at).1)
    }

    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.0.iter().map(|(id, _)| id)
    }

    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }
}

impl<T: Default> ById<T> {
    /// What is kept under `id`, made where there is nothing yet.
    pub fn or_default(&mut self, id: &str) -> &mut T {
        let at = self.place(id).unwrap_or_else(|| {
            self.0.push((id.to_owned(), T::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}

impl<T> FromIterator<(String, T)> for ById<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}
